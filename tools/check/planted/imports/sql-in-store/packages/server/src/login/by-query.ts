import { read } from '../store/read.ts'

export const byQuery = read
