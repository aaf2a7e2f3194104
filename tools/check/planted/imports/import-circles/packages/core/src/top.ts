import './left.ts'
import './right.ts'
