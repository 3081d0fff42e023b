package import DarknetFormat

/// The keys and sections that the forks of darknet know, beyond those that the builders read.
package enum DarknetKeys {
  /// The section's full name for each of its names.
  package static let aliases: [String: String] = [
    "avg": "avgpool", "conn": "connected", "conv": "convolutional", "deconv": "deconvolutional",
    "local_avg": "local_avgpool", "lrn": "normalization", "max": "maxpool", "silence": "empty",
    "soft": "softmax", "network": "net", "Gaussian_yolo": "gaussian_yolo",
  ]

  /// Sections that only one fork knows.
  package static let sectionOwners: [String: DarknetFork] = [
    "reorg3d": .alexeyab, "local_avgpool": .alexeyab, "gaussian_yolo": .alexeyab,
    "scale_channels": .alexeyab, "sam": .alexeyab, "implicit": .alexeyab, "empty": .alexeyab,
    "contrastive": .alexeyab, "conv_lstm": .alexeyab, "history": .alexeyab,
    "deconvolutional": .pjreddie, "l2norm": .pjreddie, "logistic": .pjreddie, "iseg": .pjreddie,
  ]

  /// The only fork that knows a key; `nil` when both do, or neither.
  package static func owner(of key: String, in section: String) -> DarknetFork? {
    if alexeyab[section]?.contains(key) == true { return .alexeyab }
    return pjreddie[section]?.contains(key) == true ? .pjreddie : nil
  }

  /// Whether a key has no effect when the model runs.
  package static func isMeaningless(_ key: String, in section: String) -> Bool {
    everywhere.contains(key) || meaningless[section]?.contains(key) == true
  }

  /// Keys of every section that matter in training only.
  private static let everywhere = words(
    """
    clip onlyforward dont_update burnin_update stopbackward train_only_bn learning_rate truth \
    dontsave smooth stream wait_stream
    """)

  private static let alexeyab: [String: Set<String>] = [
    "net": words(
      """
      learning_rate_min sgdr_cycle sgdr_mult seq_scales flip blur gaussian_noise mosaic \
      mosaic_bound cutmix mixup letter_box ema_alpha label_smooth_eps try_fix_nan track \
      augment_speed sequential_subdivisions weights_reject_freq equidistant_point \
      badlabels_rejection_percentage num_sigmas_reject_badlabels dynamic_minibatch \
      optimized_memory workspace_size_limit_MB contrastive contrastive_jit_flip \
      contrastive_color unsupervised resize_step attention adversarial_lr max_chart_loss
      """),
    "convolutional": words(
      """
      stride_x stride_y dilation cbn antialiasing share_index bin_output coordconv sway rotate \
      stretch stretch_sway angle reverse assisted_excitation grad_centr deform
      """),
    "maxpool": words(
      "stride_x stride_y maxpool_depth out_channels antialiasing maxpool_zero_nonmax"),
    "dropout": words("dropblock dropblock_size_rel dropblock_size_abs"),
    "route": words("groups group_id"),
    "shortcut": words("weights_type weights_normalization"),
    "region": words("focal_loss"),
    "rnn": words("logistic"),
    "yolo": words(
      """
      scale_x_y new_coords iou_loss iou_thresh iou_thresh_kind iou_normalizer obj_normalizer \
      cls_normalizer delta_normalizer uc_normalizer nms_kind beta_nms counters_per_class \
      max_delta label_smooth_eps objectness_smooth focal_loss resize show_details \
      embedding_layer track_history_size sim_thresh dets_for_show dets_for_track track_ciou_norm
      """),
  ]

  private static let pjreddie: [String: Set<String>] = [
    "net": words("notruth random max_ratio min_ratio center"),
    "shortcut": words("alpha beta"),
    "reorg": words("extra flatten"),
    "region": words("background"),
    "gru": words("tanh"),
    "crnn": words("output_filters hidden_filters"),
  ]

  /// Keys for training, and keys that darknet reads but does not use on a CPU.
  private static let meaningless: [String: Set<String>] = [
    "net": words(
      """
      batch subdivisions time_steps learning_rate momentum decay max_batches policy step scale \
      steps scales gamma power burn_in adam B1 B2 eps angle aspect saturation exposure hue \
      min_crop max_crop seen max_epochs learning_rate_min sgdr_cycle sgdr_mult seq_scales flip \
      blur gaussian_noise mosaic mosaic_bound cutmix mixup ema_alpha label_smooth_eps \
      try_fix_nan track augment_speed sequential_subdivisions weights_reject_freq \
      equidistant_point badlabels_rejection_percentage num_sigmas_reject_badlabels \
      dynamic_minibatch optimized_memory workspace_size_limit_MB contrastive \
      contrastive_jit_flip contrastive_color unsupervised resize_step attention \
      adversarial_lr max_chart_loss notruth random max_ratio min_ratio center
      """),
    "convolutional": words(
      """
      binary bin_output coordconv sway rotate stretch stretch_sway angle reverse \
      assisted_excitation dot grad_centr deform
      """),
    "maxpool": words("maxpool_zero_nonmax"),
    "dropout": words("probability dropblock dropblock_size_rel dropblock_size_abs"),
    "cost": words("type scale ratio thresh noobj smooth"),
    "crop": words("flip angle saturation exposure shift"),
    "implicit": words("mean std"),
    "softmax": words("noloss"),
    "yolo": yoloTraining, "gaussian_yolo": yoloTraining,
    "region": words(
      """
      bias_match log sqrt map max jitter resize rescore object_scale noobject_scale class_scale \
      mask_scale coord_scale absolute thresh random num_classes focal_loss
      """),
    "detection": words(
      """
      rescore reorg jitter object_scale noobject_scale class_scale coord_scale max \
      forced random
      """),
    "contrastive": words(
      "classes temperature yolo_layer cls_normalizer max_delta steps detection"),
  ]

  private static let yoloTraining = words(
    """
    max map jitter ignore_thresh truth_thresh random iou_loss iou_thresh iou_thresh_kind \
    iou_normalizer obj_normalizer cls_normalizer delta_normalizer uc_normalizer nms_kind \
    beta_nms beta1 counters_per_class max_delta label_smooth_eps objectness_smooth focal_loss \
    resize show_details embedding_layer track_history_size sim_thresh dets_for_show \
    dets_for_track track_ciou_norm yolo_point
    """)

  private static func words(_ text: String) -> Set<String> {
    Set(text.split(separator: " ").map(String.init))
  }
}
