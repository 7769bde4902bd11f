import GranaryCore

let openingCases: [ConformanceCase] = []
