import GranaryCore

let referencesCases: [ConformanceCase] = []
