import './leak.ts'
