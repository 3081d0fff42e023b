import Testing
import Weighbridge

@testable import Vision

@Suite("Drawing on images")
struct DrawingTests {
  private let gray = Image(
    width: 300, height: 200, pixels: [UInt8](repeating: 90, count: 300 * 200 * 3))

  private func annotation(
    _ label: String, _ x: Double, _ y: Double, _ width: Double, _ height: Double
  ) -> ImageAnnotation {
    ImageAnnotation(label: label, colorIndex: 3, x: x, y: y, width: width, height: height)
  }

  /// The rows and columns in which pixels are no longer gray.
  private func changed(_ image: Image) -> PixelRectangle? {
    var (columns, rows): (Range<Int>?, Range<Int>?)
    for index in 0..<image.width * image.height where image.pixels[index * 3] != 90 {
      let (x, y) = (index % image.width, index / image.width)
      columns = min(x, columns?.lowerBound ?? x)..<max(x + 1, columns?.upperBound ?? 0)
      rows = min(y, rows?.lowerBound ?? y)..<max(y + 1, rows?.upperBound ?? 0)
    }
    guard let columns, let rows else { return nil }
    return PixelRectangle(columns: columns, rows: rows)
  }

  @Test("A frame's outer edges are those of its box")
  func frame() {
    let drawn = gray.annotated(with: [annotation("", 0.1, 0.25, 0.5, 0.5)])
    #expect(changed(drawn) == PixelRectangle(columns: 30..<180, rows: 50..<150))
    let inside = (100 * 300 + 100) * 3
    #expect(drawn.pixels[inside] == 90)
  }

  @Test("A label stands above its frame, and inside where there is no room above")
  func labels() throws {
    let above = try #require(changed(gray.annotated(with: [annotation("cat", 0.1, 0.5, 0.5, 0.4)])))
    #expect(above.rows.lowerBound == 100 - 12 && above.rows.upperBound == 180)
    let inside = try #require(changed(gray.annotated(with: [annotation("cat", 0.1, 0, 0.5, 0.4)])))
    #expect(inside.rows == 0..<80)
  }

  @Test("Labels of frames at the same place do not cover each other")
  func manyLabels() {
    var placer = LabelPlacer(image: PixelSize(width: 300, height: 200))
    let frame = PixelRectangle(columns: 250..<290, rows: 60..<110)
    let labels = (0..<12).map { _ in
      placer.place(PixelSize(width: 70, height: 13), beside: frame)
    }
    let bounds = PixelSize(width: 300, height: 200).bounds
    for (index, label) in labels.enumerated() {
      #expect(label.clipped(to: bounds) == label)
      #expect(labels[..<index].allSatisfy { $0.clipped(to: label).area == 0 }, "label \(index)")
    }
  }

  @Test("Nothing is drawn outside, whatever the numbers")
  func strangeNumbers() {
    let numbers = [-1e300, -5, -0.001, 0, 0.5, 1, 1e300, .infinity, .nan]
    var annotations: [ImageAnnotation] = []
    for x in numbers {
      for width in numbers { annotations.append(annotation("größer\n", x, width, width, x)) }
    }
    let drawn = gray.annotated(with: annotations)
    #expect(drawn.width == 300 && drawn.height == 200)
    let tiny = Image(width: 1, height: 1, pixels: [1, 2, 3])
    #expect(tiny.annotated(with: annotations).pixels.count == 3)
  }

  @Test("Every printable character of ASCII has a shape of its own")
  func font() {
    let characters = (0x21...0x7E).map { Character(Unicode.Scalar(UInt8($0))) }
    let shapes = Set(characters.map(BitmapFont.rows))
    #expect(shapes.count == characters.count)
    #expect(shapes.allSatisfy { $0.count == BitmapFont.height && $0.contains { $0 != 0 } })
    #expect(BitmapFont.rows(of: " ") == [UInt8](repeating: 0, count: BitmapFont.height))
    #expect(BitmapFont.rows(of: "ß") == BitmapFont.rows(of: "?"))
  }

  @Test("Text can be read on the color of every class: a contrast of 4.5 to 1, as WCAG 2 asks")
  func contrast() {
    func luminance(_ color: PixelColor) -> Double {
      func linear(_ component: UInt8) -> Double {
        let value = Double(component) / 255
        return value * value
      }
      return 0.2126 * linear(color.red) + 0.7152 * linear(color.green)
        + 0.0722 * linear(color.blue)
    }
    for index in 0..<1000 {
      let color = PixelColor(classIndex: index)
      let pair = [luminance(color), luminance(color.textColor)].sorted()
      #expect((pair[1] + 0.05) / (pair[0] + 0.05) >= 4.5, "class \(index)")
    }
    #expect(PixelColor(classIndex: 7) == PixelColor(classIndex: 7))
    #expect(Set((0..<80).map { PixelColor(classIndex: $0) }).count == 80)
    _ = PixelColor(classIndex: .min)
  }
}
