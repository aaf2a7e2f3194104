import './itself.ts'
