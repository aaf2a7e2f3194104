import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import './app/console.css'
import { queries } from './api/queries.ts'
import { pageNonce } from './app/page-nonce.ts'
import { router } from './app/router.tsx'
import { createMemoryColorScheme, readableColours, theme } from './app/theme.ts'

// react-remove-scroll, which locks scrolling behind dialogs, reads the nonce of its style tag from here.
Object.assign(globalThis, { __webpack_nonce__: pageNonce() })

const root = document.getElementById('root')
if (!root) throw new TypeError('the page has no element with the id root')
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={createMemoryColorScheme()}
      cssVariablesResolver={readableColours}
      getStyleNonce={pageNonce}
    >
      <Notifications position="bottom-right" />
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
