import 'is-not-listed'
import { used } from './parts.ts'

used()
