import { hash } from 'node:crypto'
import { escapeHtml } from '@countersign/core'
import { PEOPLE } from './people.ts'
import type { ProviderResponse } from './provider-http.ts'

const STYLE = `
:root{color-scheme:light dark;--line:#c9ced6;--soft:#5b6472;--card:#fff;--back:#f3f5f8;--text:#161a20;--mark:#1f5fd0}
@media (prefers-color-scheme:dark){:root{--line:#3a424e;--soft:#a3adba;--card:#1c2128;--back:#12161b;--text:#e8ecf1;--mark:#7fb0ff}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:16px;background:var(--back);color:var(--text);
font:16px/1.5 system-ui,sans-serif}
main{width:100%;max-width:380px;padding:24px;background:var(--card);border:1px solid var(--line);border-radius:12px}
h1{margin:0 0 4px;font-size:22px;line-height:1.3}
p{margin:0 0 16px;overflow-wrap:anywhere}
.soft{color:var(--soft);font-size:14px}
button,input[type=text]{width:100%;min-height:48px;margin:0 0 8px;padding:10px 14px;border:1px solid var(--line);
border-radius:8px;background:transparent;color:inherit;font:inherit;text-align:left}
button{cursor:pointer}
button:hover{border-color:var(--mark)}
:focus-visible{outline:3px solid var(--mark);outline-offset:2px}
button span{display:block}
code{display:block;margin:0 0 16px;font-size:24px;letter-spacing:2px}
`
const STYLE_SOURCE = `'sha256-${hash('sha256', STYLE, 'base64')}'`

interface Page {
  readonly title: string
  readonly body: string
  /** Redirect target allowed for forms, besides the provider itself. */
  readonly formTarget?: string | undefined
  readonly status?: number
}

/** Builds a page of the local provider. Its content security policy allows only its own style and forms. */
export function providerPage({ title, body, formTarget, status = 200 }: Page): ProviderResponse {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
<p class="soft">Local identity provider of Countersign, for development only.</p>
</main>
</body>
</html>
`
  // Browsers also apply form-action to redirects after a form.
  const forms = ["'self'", ...(formTarget === undefined ? [] : [formTarget])].join(' ')
  return {
    status,
    html,
    headers: {
      'content-security-policy': `default-src 'none'; style-src ${STYLE_SOURCE}; form-action ${forms}; base-uri 'none'; frame-ancestors 'none'`,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    },
  }
}

/** Asks which person to log in as. There are no passwords: every visitor may choose any person. */
export function loginPage(client: string, redirectUri: unknown): ProviderResponse {
  const people = PEOPLE.map(
    ({ id, name, about }) =>
      `<button type="submit" name="person" value="${id}"><span>${escapeHtml(name)}</span><span class="soft">${escapeHtml(about)}</span></button>`,
  )
  return providerPage({
    title: 'Who are you?',
    body: `<p>to continue to ${escapeHtml(client)}</p>\n<form method="post">\n${people.join('\n')}\n</form>`,
    formTarget: formSource(redirectUri),
  })
}

/** Returns the source expression of a URL for a content security policy: its origin, or the scheme of an app. */
function formSource(redirectUri: unknown): string | undefined {
  if (typeof redirectUri !== 'string' || !URL.canParse(redirectUri)) return undefined
  const { origin, protocol } = new URL(redirectUri)
  return origin === 'null' ? protocol : origin
}
