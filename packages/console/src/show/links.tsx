import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, Ref } from 'react'

type Native<Props> = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof Props> & { ref?: Ref<HTMLAnchorElement> }

/** A link to a page of the console. */
export const PageLink = createLink((props: AnchorProps & Native<AnchorProps>) => <Anchor {...props} />)

/** A link to a page of the console that looks like a button. */
export const ButtonLink = createLink((props: ButtonProps & Native<ButtonProps>) => <Button component="a" {...props} />)

/** An external URL: a link if it is https, otherwise text. */
export function ExternalLink({ url }: { readonly url: string }) {
  if (URL.parse(url)?.protocol !== 'https:') return <span className="breakable">{url}</span>
  return (
    <Anchor className="breakable" href={url} target="_blank" rel="noreferrer noopener" inherit>
      {url}
    </Anchor>
  )
}
