import '../http/routes.ts'
import '../process/start.ts'
