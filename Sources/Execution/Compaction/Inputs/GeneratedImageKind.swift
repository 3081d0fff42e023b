/// A kind of generated image. Inputs of several kinds show errors that those of one kind hide.
package enum GeneratedImageKind: Sendable, CaseIterable {
  /// Shapes of all sizes with textures, such as photos have.
  case photo
  /// A few flat shapes in strong colors.
  case graphic
  /// A few shaded shapes without details, as out of focus.
  case blurred
  /// A texture with hardly any shapes.
  case texture
  /// Little light.
  case dark
  /// Much light, and little contrast.
  case bright
  /// Strong contrast, in part beyond black and white.
  case harsh
  /// Thin dark shapes on white, as in writing.
  case ink
  /// Thin light shapes on black.
  case chalk

  /// The kinds that rounding learns from.
  package static let learned: [GeneratedImageKind] = [.photo, .texture, .graphic, .dark, .ink]
  /// The kinds that errors are measured on: in part others, because pictures that rounding learned
  /// from lose less than those that it did not.
  package static let measured: [GeneratedImageKind] = [
    .photo, .blurred, .bright, .harsh, .chalk,
  ]

  /// The look of the shapes.
  var look: GeneratedImage.Look {
    switch self {
    case .photo: GeneratedImage.Look()
    case .graphic:
      GeneratedImage.Look(
        contrast: 60...120, shapeCounts: [5, 30], smallestShape: 0.2, roughness: 0, shading: 0,
        colorfulness: 2.5, isTextured: false)
    case .blurred:
      GeneratedImage.Look(
        contrast: 20...60, shapeCounts: [5, 30], smallestShape: 0.2, roughness: 0, shading: 0.5,
        isTextured: false)
    case .texture: GeneratedImage.Look(contrast: 15...60, shapeCounts: [0, 3], smallestShape: 0.2)
    case .dark: GeneratedImage.Look(contrast: 8...25, brightness: 15...60)
    case .bright: GeneratedImage.Look(contrast: 8...25, brightness: 190...240)
    case .harsh: GeneratedImage.Look(contrast: 90...140)
    case .ink: .strokes(on: 255)
    case .chalk: .strokes(on: 0)
    }
  }
}

extension GeneratedImage {
  /// How the shapes of an image look, and what is behind them.
  struct Look: Sendable {
    /// The standard deviation of the brightness.
    var contrast: ClosedRange<Float> = 30...80
    /// The mean brightness, of 0...255.
    var brightness: ClosedRange<Float> = 80...160
    /// The numbers of shapes, one of which is chosen.
    var shapeCounts = [300, 1500]
    /// The size of the smallest shape, as a fraction of that of the largest.
    var smallestShape: Float = 0.01
    /// The length of a shape's shorter axis, relative to the longer.
    var aspect: ClosedRange<Float> = 0.3...1
    /// The largest contrast of a shape's texture, relative to that of the image.
    var roughness: Float = 0.5
    /// The contrast of a shape's shading, relative to that of the image.
    var shading: Float = 0.3
    /// How much colors vary, relative to photos.
    var colorfulness: Float = 1
    /// Whether there is a texture behind the shapes.
    var isTextured = true

    /// Thin shapes on a plain background; those that are to be beyond it do not show.
    static func strokes(on brightness: Float) -> Look {
      Look(
        contrast: 300...400, brightness: brightness...brightness, shapeCounts: [10, 60],
        smallestShape: 0.1, aspect: 0.03...0.15, roughness: 0, shading: 0, colorfulness: 0.5,
        isTextured: false)
    }
  }
}
