// What makes pages a little handier where scripts run; nothing needs it.
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

// A menu closes when something else is chosen.
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

// A part of a page that is replaced in place: what comes instead of it, such as the sign-in page or a failure, is shown as a page.
for (const event of ['htmx:beforeOnLoad', 'htmx:sendError']) {
  document.addEventListener(event, (happened) => {
    const { xhr, pathInfo } = happened.detail;
    const asked = new URL(pathInfo.finalRequestPath, location.href);
    if (xhr.status === 200 && xhr.responseURL === asked.href) return;
    happened.preventDefault();
    location.assign(asked);
  });
}
