import '../operations/enroll.ts'
