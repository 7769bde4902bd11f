import GranaryCore

let isolationCases: [ConformanceCase] = []
