import GranaryCore

let orderCases: [ConformanceCase] = []
