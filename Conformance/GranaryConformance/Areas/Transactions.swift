import GranaryCore

let transactionsCases: [ConformanceCase] = []
