// The keeper's executable, embedded in the runtime: it can be started from any container.
  .section .rodata.rankwise_keeper_image, "a", %progbits
  .globl rankwise_keeper_image, rankwise_keeper_image_end
  .hidden rankwise_keeper_image, rankwise_keeper_image_end
rankwise_keeper_image:
#if defined RANKWISE_KEEPER
  .incbin RANKWISE_KEEPER
#endif
rankwise_keeper_image_end:
  .byte 0
  .section .note.GNU-stack, "", %progbits
