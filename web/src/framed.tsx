/**
 * Whether another page shows this one inside of it, and may lay something over it that takes clicks and keys. A server
 * forbids that by a header; a bucket sends none, and a policy in the page itself can't say it.
 */
export const isFramed = (): boolean => window.top !== window.self

/** All that a framed page shows. It asks for nothing, neither a server nor the user. */
export const Framed = () => (
  <main class="alone">
    <div class="connect">
      <h1>Not inside another page</h1>
      <p>
        Another page shows Holdfast in a frame and could watch what you type. Holdfast asks for no
        keys here.
      </p>
      <p>
        <a href={location.href} target="_blank" rel="noopener noreferrer">
          Open Holdfast in its own tab
        </a>
      </p>
    </div>
  </main>
)
