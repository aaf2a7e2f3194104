import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, Ref } from 'react'

type Native<Taken> = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof Taken> & { ref?: Ref<HTMLAnchorElement> }

/** A link to a page of the console. */
export const PageLink = createLink((props: AnchorProps & Native<AnchorProps>) => <Anchor {...props} />)

/** A link to a page of the console that looks like a button. */
export const ButtonLink = createLink((props: ButtonProps & Native<ButtonProps>) => <Button component="a" {...props} />)

/** An address of elsewhere: a link where it is https, else its text. */
export function OutsideLink({ address }: { readonly address: string }) {
  if (URL.parse(address)?.protocol !== 'https:') return <span className="breakable">{address}</span>
  return (
    <Anchor className="breakable" href={address} target="_blank" rel="noreferrer noopener" inherit>
      {address}
    </Anchor>
  )
}
