import GranaryCore

let programsCases: [ConformanceCase] = []
