import GranaryCore

let limitsCases: [ConformanceCase] = []
