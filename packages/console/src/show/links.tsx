import { Anchor, type AnchorProps, Button, type ButtonProps, Text } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, ComponentProps, Ref } from 'react'
import { useMayOpen } from '../app/page-needs.ts'

type Native<Props> = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof Props> & { ref?: Ref<HTMLAnchorElement> }

const PlainLink = createLink((props: AnchorProps & Native<AnchorProps>) => <Anchor {...props} />)

/** A link to a page of the console that every session may open. */
export const PlainButtonLink = createLink((props: ButtonProps & Native<ButtonProps>) => (
  <Button component="a" {...props} />
))

/** A link to a page of the console; its text alone when the session may not open the page. */
export const PageLink = ((props: ComponentProps<typeof PlainLink>) => {
  const mayOpen = useMayOpen()
  if (mayOpen(String(props.to))) return <PlainLink {...props} />
  const { className = '', size = 'md', inherit = false, children } = props
  return (
    <Text component="span" {...{ className, size, inherit }}>
      {children as string}
    </Text>
  )
}) as typeof PlainLink

/** A link to a page of the console that looks like a button; hidden when the session may not open the page. */
export const ButtonLink = ((props: ComponentProps<typeof PlainButtonLink>) => {
  const mayOpen = useMayOpen()
  return mayOpen(String(props.to)) ? <PlainButtonLink {...props} /> : null
}) as typeof PlainButtonLink

/** An external URL: a link if it is https, otherwise text. */
export function ExternalLink({ url }: { readonly url: string }) {
  if (URL.parse(url)?.protocol !== 'https:') return <span className="breakable">{url}</span>
  return (
    <Anchor className="breakable" href={url} target="_blank" rel="noreferrer noopener" inherit>
      {url}
    </Anchor>
  )
}
