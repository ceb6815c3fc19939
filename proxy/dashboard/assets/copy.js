// Shows the copy buttons if the browser lets pages copy; everything else works without JavaScript.
if (navigator.clipboard) {
  for (const button of document.querySelectorAll('[data-copy]')) {
    button.hidden = false;
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 2000);
    });
  }
}

// What is shown once asks before it is left, except by the link which says that it was saved.
const saved = document.querySelector('[data-shown-once] a');
if (saved) {
  const ask = (event) => event.preventDefault();
  addEventListener('beforeunload', ask);
  saved.addEventListener('click', () => removeEventListener('beforeunload', ask));
}
