/** The part of a browser that a login needs: cookies, redirects and forms. */
import assert from 'node:assert/strict'

export interface Page {
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The address outside the provider that it was redirected to, or empty. */
  readonly location: string
}

const MAX_REDIRECTS = 10

export function createBrowser() {
  const cookies = new Map<string, string>()

  const visit = async (url: string, init: RequestInit = {}): Promise<Page> => {
    const home = new URL(url).origin
    let next = { url, init }
    for (let hop = 0; hop < MAX_REDIRECTS; hop++) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const response = await fetch(next.url, { ...next.init, redirect: 'manual', headers: { cookie } })
      for (const line of response.headers.getSetCookie()) {
        const [pair = ''] = line.split(';')
        const equals = pair.indexOf('=')
        const isGone = /expires=Thu, 01 Jan 1970/i.test(line)
        if (isGone) cookies.delete(pair.slice(0, equals))
        else cookies.set(pair.slice(0, equals), pair.slice(equals + 1))
      }
      const { status, headers } = response
      const location = headers.get('location')
      const text = await response.text()
      if (location === null) return { url: next.url, status, headers, text, location: '' }
      const target = new URL(location, next.url)
      if (target.origin !== home) return { url: next.url, status, headers, text, location: target.href }
      next = { url: target.href, init: {} }
    }
    return assert.fail('too many redirects')
  }

  return {
    open: (url: string): Promise<Page> => visit(url),
    /** Sends the form of a page with its hidden members and these. */
    submit: (page: Page, members: Readonly<Record<string, string>>): Promise<Page> => {
      const action = /<form[^>]* action="([^"]*)"/.exec(page.text)?.[1] ?? page.url
      const hidden = [...page.text.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(
        ([, name = '', value = '']) => [name, value] as const,
      )
      const body = new URLSearchParams({ ...Object.fromEntries(hidden), ...members })
      return visit(new URL(action, page.url).href, { method: 'POST', body })
    },
  }
}
