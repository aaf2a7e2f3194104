import { ButtonLink } from './links.tsx'

/** A link to the changes of an entity. Sessions that may not read them do not see it. */
export function HistoryLink({ id }: { readonly id: string }) {
  return (
    <ButtonLink to="/history" search={{ object: id }} variant="default">
      History
    </ButtonLink>
  )
}
