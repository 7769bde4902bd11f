import GranaryTool

await GranaryCommand.main()
