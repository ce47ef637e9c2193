"""Arrays and columns of other libraries, and strings: how the package reads them."""
