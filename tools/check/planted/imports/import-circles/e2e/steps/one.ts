import '../stage.ts'
