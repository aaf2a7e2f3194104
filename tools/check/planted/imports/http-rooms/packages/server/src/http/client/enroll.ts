import '../shared/view.ts'
