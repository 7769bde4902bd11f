import GranaryCore

let nullsCases: [ConformanceCase] = []
