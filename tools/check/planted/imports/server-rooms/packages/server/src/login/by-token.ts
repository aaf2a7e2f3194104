import '../session/start.ts'
import type {} from '../http/routes.ts'
import '../enrollment/by-token.ts'
