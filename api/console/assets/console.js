// Conveniences; every page also works without scripts.
for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.parentElement.querySelector('pre').textContent);
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
}

// Closes an open menu after a click elsewhere, or Escape.
document.addEventListener('click', ({ target }) => {
  for (const menu of document.querySelectorAll('details.menu[open]')) {
    if (!menu.contains(target)) menu.open = false;
  }
});
document.addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape') return;
  for (const menu of document.querySelectorAll('details.menu[open]')) {
    menu.open = false;
    menu.querySelector('summary').focus();
  }
});

// If htmx receives another page than requested, such as sign-in or a failure, load it as a page.
for (const event of ['htmx:beforeOnLoad', 'htmx:sendError']) {
  document.addEventListener(event, (happened) => {
    const { xhr, pathInfo } = happened.detail;
    const requested = new URL(pathInfo.finalRequestPath, location.href);
    if (xhr.status === 200 && xhr.responseURL === requested.href) return;
    happened.preventDefault();
    location.assign(requested);
  });
}
