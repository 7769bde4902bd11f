import GranaryCore

let uniquenessCases: [ConformanceCase] = []
