import GranaryCore

let concurrencyCases: [ConformanceCase] = []
