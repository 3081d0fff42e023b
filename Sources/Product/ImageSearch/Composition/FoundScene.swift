/// The objects in an image, prepared for comparison.
struct FoundScene {
  /// The image's width divided by its height.
  var aspectRatio = 1.0
  /// The class of each object, as an index into those of the matcher.
  private(set) var classes: [Int] = []
  private var objects: [ObjectGeometry] = []

  /// Creates an image without objects.
  init() {}

  /// - Parameter classes: The index of each label's class.
  init(_ composition: Composition, classes: [String: Int]) {
    aspectRatio = composition.aspectRatio
    for object in composition.objects {
      guard let index = classes[object.label] else { continue }
      append(class: index)
      append(ObjectGeometry(object.box, aspectRatio: aspectRatio))
    }
  }

  /// The number of objects.
  var count: Int { classes.count }

  subscript(_ index: Int) -> ObjectGeometry { objects[index] }

  /// Removes all objects but keeps their memory.
  mutating func removeAll() {
    classes.removeAll(keepingCapacity: true)
    objects.removeAll(keepingCapacity: true)
  }

  /// Adds an object's class; its geometry follows when it is needed.
  mutating func append(class index: Int) { classes.append(index) }

  /// Adds the next object's geometry.
  mutating func append(_ object: ObjectGeometry) { objects.append(object) }
}
