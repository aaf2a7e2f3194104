import '../store/open.ts'
