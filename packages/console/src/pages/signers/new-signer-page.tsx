import { PageHead } from '../../show/page-head.tsx'

export function NewSignerPage() {
  return <PageHead title="Signer" />
}
