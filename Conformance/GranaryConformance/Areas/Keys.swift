import GranaryCore

let keysCases: [ConformanceCase] = []
