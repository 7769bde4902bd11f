import GranaryCore

let typesCases: [ConformanceCase] = []
