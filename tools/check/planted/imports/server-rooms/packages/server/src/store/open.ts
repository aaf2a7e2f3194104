import '../operations/enroll.ts'
import '../platform/clock.ts'
