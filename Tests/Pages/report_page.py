"""Opens reports in Chromium without a network and looks at them as people do: with a mouse, with a
keyboard, in the dark, on paper, and with axe-core's checks of accessibility.

usage: report_page.py PROGRAM [--screenshots FOLDER] [--article FILE.png]

Needs Debian's chromium and chromium-driver, and requirements.txt from PyPI.
"""

import argparse
import base64
import json
import pathlib
import subprocess
import tempfile
import time

from axe_selenium_python import Axe
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "Samples/Models/shape-detector"
HOSTILE = "<img src=http://127.0.0.1:9/x onerror=document.title='taken'><script>document.title='taken'</script>"


def arguments():
    """The command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--screenshots", type=pathlib.Path, help="where pictures of the pages go")
    parser.add_argument("--article", type=pathlib.Path, help="where the article's picture goes")
    return parser.parse_args()


class Pages:
    """Makes models and their reports in a folder."""

    def __init__(self, program, folder):
        self.program = program.resolve()
        self.folder = folder

    def run(self, *words):
        """Runs the program."""
        subprocess.run([self.program, *map(str, words), "--quiet"], check=True, cwd=self.folder)

    def detector(self):
        """The sample detector, described, with references of its layers."""
        self.run(
            "convert", SAMPLE / "shape-detector.h5", "-o", "shape-detector.wbm",
            "--input-name", "image", "--output-name", "grid", "--image-input", "image",
            "--image-scale", "1/255", "--author", "The Weighbridge authors", "--license",
            "Apache-2.0", "--description",
            "Finds ellipses, rectangles and triangles in a drawn picture", "--input-description",
            "image=88x88 RGB picture", "--output-description",
            "grid=11x11 cells of [x, y, w, h, objectness, 3 x classes] * 3 boxes",
            "--detector", "region", "--anchors", (SAMPLE / "anchors.txt").read_text().strip(),
            "--labels", SAMPLE / "labels.names", "--reference-inputs", SAMPLE / "input.npy",
            "--reference-outputs", self.references(), "--reference-by", "keras 2.1.5")
        self.run(
            "report", "shape-detector.wbm", "-o", "detector.html", "--image",
            SAMPLE / "picture.png")
        return self.folder / "detector.html"

    def references(self):
        """What Keras computed in the layers, with the output under its new name."""
        import zipfile
        target = self.folder / "references.npz"
        with zipfile.ZipFile(SAMPLE / "layers.npz") as source:
            with zipfile.ZipFile(target, "w") as copy:
                for name in source.namelist():
                    copy.writestr(name.replace("conv2d_7.npy", "grid.npy"), source.read(name))
        return target

    def two(self):
        """The detector beside the file that it was made of."""
        self.run("report", "shape-detector.wbm", SAMPLE / "shape-detector.h5", "-o", "two.html")
        return self.folder / "two.html"

    def classifier(self):
        """A classifier with a picture, beside a file that cannot be read as a model."""
        folder = ROOT / "Samples/Models/sketch-classifier"
        self.run(
            "report", folder / "sketch-classifier.h5",
            ROOT / "Samples/Hostile/keras/weights_only.h5", "-o", "classifier.html",
            "--labels", folder / "labels.names", "--image-input", "conv2d_1_input",
            "--image-scale", "1/255", "--image",
            folder / "picture.png")
        return self.folder / "classifier.html"

    def hostile(self):
        """A model whose words try to be markup."""
        self.run(
            "convert", SAMPLE / "shape-detector.h5", "-o", "hostile.wbm", "--author", HOSTILE,
            "--description", HOSTILE, "--license", HOSTILE, "--input-name", f"input_1={HOSTILE}")
        self.run("report", "hostile.wbm", "-o", "hostile.html")
        return self.folder / "hostile.html"

    def residual(self, blocks):
        """A network of blocks of three layers."""
        convolution = "[convolutional]\nbatch_normalize=1\nfilters=4\nsize=3\npad=1\nactivation=leaky\n"
        text = "[net]\nwidth=8\nheight=8\nchannels=4\n"
        for block in range(blocks):
            text += 2 * convolution + f"[shortcut]\nfrom={-3 if block else -2}\nactivation=linear\n"
        name = f"layers-{3 * blocks}"
        (self.folder / f"{name}.cfg").write_text(text)
        self.run("report", f"{name}.cfg", "--random-weights", "1", "-o", f"{name}.html")
        return self.folder / f"{name}.html"

    def residual_twice(self, blocks):
        """Such a network beside itself."""
        name = f"layers-{3 * blocks}"
        self.run("convert", f"{name}.cfg", "--random-weights", "1", "-o", f"{name}.wbm")
        self.run("report", f"{name}.wbm", f"{name}.wbm", "-o", f"{name}-twice.html")
        return self.folder / f"{name}-twice.html"


class Browser:
    """Chromium, with everything that it asks for and complains of written down."""

    def __init__(self):
        options = webdriver.ChromeOptions()
        for word in ["--headless=new", "--no-sandbox", "--hide-scrollbars", "--disable-gpu"]:
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(
            options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))
        self.driver.set_script_timeout(300)
        self.driver.execute_cdp_cmd("Network.enable", {})
        self.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {
            "offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0})

    def size(self, width, height):
        """Makes the window so large."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def scheme(self, name, media=""):
        """Light or dark, on a screen or on paper."""
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "media": media, "features": [{"name": "prefers-color-scheme", "value": name}]})

    def open(self, page):
        """Opens a page and returns the seconds until it is there."""
        self.driver.get("about:blank")
        self.logs()
        start = time.monotonic()
        self.driver.get(page.as_uri())
        self.driver.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => setTimeout(done, 0));")
        return time.monotonic() - start

    def logs(self):
        """What the console says, and the addresses that were asked for."""
        console = [entry["message"] for entry in self.driver.get_log("browser")]
        messages = [json.loads(entry["message"])["message"]
                    for entry in self.driver.get_log("performance")]
        requests = [message["params"]["request"]["url"] for message in messages
                    if message["method"] == "Network.requestWillBeSent"]
        return console, requests

    def quiet(self, page):
        """Nothing on the console, and nothing asked for but the page."""
        console, requests = self.logs()
        assert not console, console
        others = [url for url in requests
                  if url != page.as_uri() and not url.startswith("data:image/jpeg")]
        assert page.as_uri() in requests and not others, others

    def accessible(self):
        """axe-core has no complaints."""
        axe = Axe(self.driver)
        axe.inject()
        results = axe.run()
        assert results["passes"], "axe-core checked nothing"
        complaints = [f"{one['id']}: {one['help']}\n  " + "\n  ".join(
            node["html"][:200] for node in one["nodes"][:5]) for one in results["violations"]]
        assert not complaints, "\n".join(complaints)
        return len(results["passes"])

    def notices(self):
        """axe-core sees what is wrong: a page without a language."""
        self.driver.execute_script("document.documentElement.removeAttribute('lang')")
        axe = Axe(self.driver)
        axe.inject()
        assert "html-has-lang" in {one["id"] for one in axe.run()["violations"]}

    def find(self, selector):
        """The elements that a selector names, at least one."""
        elements = self.driver.find_elements(By.CSS_SELECTOR, selector)
        assert elements, f"there is no {selector}"
        return elements

    def visible(self, selector):
        """How many elements of a selector can be seen."""
        return sum(element.is_displayed() for element in self.find(selector))

    def picture(self, path):
        """A picture of what can be seen."""
        self.driver.save_screenshot(str(path))


def check_first_screen(browser):
    """The four answers stand on the first screen."""
    browser.size(1280, 720)
    for card in browser.find("header .card"):
        assert card.rect["y"] + card.rect["height"] <= 720, f"{card.text} is below the first screen"
    words = " ".join(card.text for card in browser.find("header .card"))
    for answer in ["88 \u00d7 88 pixels", "ellipse, rectangle, triangle", "keras 2.1.5", "Verified"]:
        assert answer in words, f"{answer} is not on the first screen: {words}"


def check_tables(browser):
    """The table of layers is searched by typing and sorted by clicking."""
    driver = browser.driver
    rows = "#layers tbody tr"
    assert browser.visible(rows) == 23
    field = browser.find("#layers input[type=search]")[0]
    field.send_keys("pooling conv2d")
    assert browser.visible(rows) == 0
    field.send_keys(Keys.BACKSPACE * len(" conv2d"))
    status = browser.find("#layers [role=status]")[0]
    assert (status.text, browser.visible(rows)) == ("4 of 23 rows", 4), status.text
    field.send_keys(Keys.BACKSPACE * len("pooling"))
    assert browser.visible(rows) == 23
    button = browser.find("#layers thead th:last-child button")[0]
    for order, first in [("ascending", "0"), ("descending", "36,864")]:
        button.click()
        assert browser.find("#layers thead th:last-child")[0].get_attribute("aria-sort") == order
        cell = driver.find_element(By.CSS_SELECTOR, f"{rows} td:last-child")
        assert cell.text == first, f"{order}: {cell.text}"


def check_drawing(browser):
    """The drawing is zoomed by its buttons, and its boxes lead to the table."""
    def width():
        return float(browser.find("#graph .drawing svg")[0].get_attribute("width"))
    before = width()
    buttons = {button.text: button for button in browser.find("#graph .tools button")}
    buttons["Zoom in"].click()
    assert abs(width() / before - 1.25) < 1e-6
    buttons["Whole drawing"].click()
    assert width() < before
    buttons["Original size"].click()
    assert width() == before
    browser.find("#graph a[href='#m1-l0'] text")[0].click()
    assert browser.driver.current_url.endswith("#m1-l0")


def check_keyboard(browser, page):
    """The first key leads past the list of sections, and everything that is reached shows it."""
    browser.open(page)
    driver = browser.driver
    body = driver.find_element(By.TAG_NAME, "body")
    body.send_keys(Keys.TAB)
    skip = driver.switch_to.active_element
    assert skip.get_attribute("class") == "skip" and skip.rect["x"] >= 0
    skip.send_keys(Keys.ENTER)
    assert driver.switch_to.active_element.get_attribute("id") == "content"
    seen = set()
    for _ in range(60):
        driver.switch_to.active_element.send_keys(Keys.TAB)
        active = driver.switch_to.active_element
        outline = driver.execute_script(
            "return getComputedStyle(arguments[0]).outlineStyle", active)
        assert active.tag_name in {"body", "summary"} or outline != "none", active.get_attribute("outerHTML")[:200]
        seen.add((active.tag_name, active.get_attribute("class")))
    assert {"button", "div"} <= {name for name, _ in seen}, seen


def check_blocks(browser):
    """A folded block opens when its box is followed, by the keyboard too."""
    box = browser.find("#m1-g0 .folded a")[0]
    target = browser.driver.execute_script("return arguments[0].href.baseVal.slice(1)", box)
    inner = browser.driver.find_element(By.ID, target)
    assert not inner.is_displayed()
    browser.driver.execute_script("arguments[0].focus()", box)
    browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
    assert inner.is_displayed(), f"{target} did not open"


def check_paper(browser, page):
    """The page is printed on a few sheets."""
    browser.open(page)
    sheets = browser.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    data = base64.b64decode(sheets["data"])
    count = data.count(b"/Type /Page\n") or data.count(b"/Type /Page") - data.count(b"/Type /Pages")
    assert 1 <= count <= 20, f"{count} sheets"
    return count


def check_without_script(browser, page):
    """All sections can be read where scripts do not run."""
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    browser.driver.get(page.as_uri())
    assert browser.visible("main > section") == 9
    assert not browser.driver.find_elements(By.CSS_SELECTOR, "button, input")
    browser.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def look(browser, page, options):
    """Light and dark: pictures, and axe-core."""
    for scheme in ["light", "dark"]:
        browser.scheme(scheme)
        for width in [1280, 400]:
            browser.size(width, 900)
            browser.open(page)
            count = browser.accessible()
            if options.screenshots:
                browser.size(width, 2600)
                browser.open(page)
                browser.picture(options.screenshots / f"{page.stem}-{scheme}-{width}.png")
        print(f"{page.name}, {scheme}: axe-core passes {count} rules")
    browser.scheme("light")
    browser.size(1280, 900)


def check(browser, pages, options):
    """All checks."""
    detector = pages.detector()
    for page in [detector, pages.two(), pages.hostile(), pages.classifier()]:
        browser.open(page)
        browser.quiet(page)
        look(browser, page, options)
        assert browser.driver.title != "taken"
    browser.open(detector)
    check_first_screen(browser)
    if options.article:
        browser.size(1280, 800)
        browser.picture(options.article)
    browser.size(1280, 900)
    check_tables(browser)
    check_drawing(browser)
    check_keyboard(browser, detector)
    check_without_script(browser, detector)
    print(f"printed on {check_paper(browser, detector)} sheets")
    folded = pages.residual(17)
    browser.open(folded)
    check_blocks(browser)
    browser.quiet(folded)
    browser.accessible()  # with the block that is open now; of thousands it did not end in ten minutes
    browser.notices()
    for large in [pages.residual(1000), pages.residual_twice(1000)]:
        check_large(browser, large)


def check_large(browser, page):
    """A page of thousands of layers is small and opens at once."""
    size = page.stat().st_size
    assert size < 5_000_000, f"{size:,} bytes"
    seconds = min(browser.open(page) for _ in range(3))
    browser.quiet(page)
    print(f"{page.name}: {size:,} bytes, open in {seconds:.2f} s")


def main():
    """Looks at all pages."""
    options = arguments()
    browser = Browser()
    try:
        with tempfile.TemporaryDirectory() as folder:
            check(browser, Pages(options.program, pathlib.Path(folder)), options)
    finally:
        browser.driver.quit()
    print("passed")


if __name__ == "__main__":
    main()
