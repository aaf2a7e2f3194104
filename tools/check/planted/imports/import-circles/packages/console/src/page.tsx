import { Part } from './part.tsx'

export type PageProps = { title: string }
export const Page = ({ title }: PageProps) => <Part title={title} />
