import './management/list.ts'
import './pipeline/errors.ts'
