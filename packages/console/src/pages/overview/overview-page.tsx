import { PageHead } from '../../show/page-head.tsx'

export function OverviewPage() {
  return <PageHead title="Overview" />
}
