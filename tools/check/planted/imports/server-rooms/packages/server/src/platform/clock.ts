import type {} from '@countersign/server'
