import GranaryCore

let predicatesCases: [ConformanceCase] = []
