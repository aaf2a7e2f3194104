import '../pipeline/errors.ts'
import '../shared/view.ts'
import '../client/enroll.ts'
import '../api-paths.ts'
