import './bottom.ts'
