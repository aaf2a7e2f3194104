import type { PageProps } from './page.tsx'

export const Part = ({ title }: PageProps) => <b>{title}</b>
