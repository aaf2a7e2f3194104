import '../login/by-token.ts'
import './demo.ts'
