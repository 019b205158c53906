"""Offline pages: one HTML file with the animation, the plots and the equations, which needs no server."""

from multibody.view.page.write import page_html, write_page

__all__ = ["page_html", "write_page"]
